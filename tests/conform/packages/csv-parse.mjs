import { parse } from 'csv-parse/sync';
import { parse as stream } from 'csv-parse';
console.log(parse('a,b\n1,"x, y"\n2,z\n', { columns: true, cast: true }));
const rows = [];
for await (const row of stream('1;2\n3;4\n', { delimiter: ';' })) rows.push(row);
console.log(rows);
