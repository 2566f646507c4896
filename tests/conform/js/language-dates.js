// Dates in UTC only: a cell's zone is UTC.
const d = new Date(Date.UTC(2024, 1, 29, 12, 34, 56, 789));
console.log(d.toISOString(), d.getTime(), JSON.stringify(d), d.toJSON(), +d === d.valueOf());
console.log(d.getUTCFullYear(), d.getUTCMonth(), d.getUTCDate(), d.getUTCDay(), d.getUTCHours(), d.getUTCMinutes(), d.getUTCSeconds(), d.getUTCMilliseconds());
d.setUTCMonth(12);
console.log(d.toISOString());
d.setUTCDate(0);
console.log(d.toISOString(), d.toUTCString());
console.log(new Date('2020-01-01').toISOString(), new Date('2020-01-01T00:00:00Z').getTime(), new Date('2020-01-01T00:00:00+02:00').toISOString());
console.log(Date.parse('Thu, 01 Jan 1970 00:00:00 GMT'), new Date(8.64e15).toISOString(), new Date(8.64e15 + 1).getTime(), Date.UTC(99, 0));
console.log(String(new Date(NaN)), new Date('nonsense').getTime(), new Date(2020, 0, 1) - new Date(2019, 11, 31));
try { new Date(NaN).toISOString(); } catch (e) { console.log(e.name); }
console.log(typeof Date.now(), Date.length, new Date(0) < new Date(1), new Date(5)[Symbol.toPrimitive]('number'));
console.log(new Date(-1).toISOString(), new Date(-62198755200000).toISOString(), new Date('+010000-01-01T00:00:00Z').getTime());
