// The pane that shows the lists of the last result as tables.
import type { GraphiQLPlugin } from '@graphiql/react';
import { useLastOperation } from '../operations/last-operation.ts';
import { MAX_ROWS, type ResultTable, readTables } from '../operations/read-tables.ts';
import { LineIcon } from './line-icon.tsx';
import { useScrolling } from './use-scrolling.ts';

function TablePanel() {
  const data = useLastOperation((last) => last?.data ?? null);
  const tables = readTables(data);
  const pane = useScrolling<HTMLElement>();
  return (
    <section aria-label="Tables" className="optiongraph-tables" ref={pane}>
      <h2 className="graphiql-doc-explorer-title">Tables</h2>
      {tables.length === 0 ? <p>Execute a query with a list to see its rows here.</p> : null}
      {tables.map((table) => (
        <Table key={table.path} table={table} />
      ))}
    </section>
  );
}

function Table({ table: { path, columns, rows } }: { readonly table: ResultTable }) {
  const place = useScrolling<HTMLDivElement>();
  return (
    <div className="optiongraph-table" ref={place}>
      <table>
        <caption>
          {path}
          {rows.length === MAX_ROWS ? `, the first ${MAX_ROWS} rows` : ''}
        </caption>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ number, cells }) => (
            <tr key={number}>
              {columns.map((name, column) => (
                <td key={name}>{cells[column]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const TableIcon = () => <LineIcon path="M4 5h16v14H4zM4 10h16M4 14.5h16M10 5v14" />;

/** The pane with tables. */
export const TABLE_PLUGIN: GraphiQLPlugin = { title: 'Tables', icon: TableIcon, content: TablePanel };
