import { rowsOf } from './row.ts';

/** The table of limits. */
export const limitRows = rowsOf(
  'protocol / Limits',
  `
limit/poll-timeout | 15 seconds | of a poll is 15 seconds when nobody says, and needs no credential
limit/token-validity | 300 seconds | is five minutes when nobody says
limit/from_id | not negative | refuse a negative from_id
limit/limit | not negative | refuse a negative limit
limit/property-history | 25 rows | of property history hold 25 rows unless more are asked for
limit/dataset-name shortest | 1 character | dataset#create accepts name "a"
limit/dataset-name longest | 255 characters | dataset#create accepts name 255 characters
limit/dataset-name beyond | not 256 | dataset#create refuses name 256 characters
limit/dataset-name first | a letter or digit first | dataset#create refuses name "-a"
limit/dataset-name characters | letters, digits, \`_-:./\` | dataset#create accepts name "data/9A_-:.z"
limit/recordsize | 131072 | dataset#create takes recordsize to be 131072
limit/quota | 0 | dataset#create takes quota to be 0
limit/refquota | 0 | dataset#create takes refquota to be 0
limit/finish_weekday least | 0 | dataset#migrate accepts finish_weekday 0
limit/finish_weekday most | 6 | dataset#migrate accepts finish_weekday 6
limit/finish_minutes least | 0 | dataset#migrate accepts finish_minutes 0
limit/finish_minutes most | 1410 | dataset#migrate accepts finish_minutes 1410
limit/added_space | at least 1 | dataset_expansion#create accepts added_space 1
limit/original_refquota | at least 1 | dataset_expansion#register_expanded accepts original_refquota 1
limit/package-label | at least 2 characters | cluster_resource_package#create accepts label "xy"
limit/dns-comment | at most 255 characters | dns_record#create accepts comment 255 characters
limit/debug | 10 | tells at most ten of the largest arrays and hashes
limit/snippet-expiration | now plus 30 minutes | expires after half an hour when nobody says
`,
);
