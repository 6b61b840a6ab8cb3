export const name = 'optiongraph';
