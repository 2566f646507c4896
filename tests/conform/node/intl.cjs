// tests/conform/node/intl.cjs -- locales, dates, sorting  (SPDX-License-Identifier: MIT)
const d = new Date(Date.UTC(2024, 1, 29, 12, 34, 56));
console.log(new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(1234567.891), (1e6).toLocaleString());
console.log(new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeStyle: 'long', timeZone: 'Asia/Tokyo' }).format(d));
console.log(d.toLocaleDateString('fr-FR', { timeZone: 'UTC' }), d.toISOString(), JSON.stringify(d));
console.log(['z', 'ä', 'a'].sort(new Intl.Collator('sv').compare), ['z', 'ä', 'a'].sort(new Intl.Collator('de').compare));
console.log(new Intl.PluralRules('en', { type: 'ordinal' }).select(2), new Intl.ListFormat('en').format(['a', 'b', 'c']));
console.log(new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(-1, 'day'), 'İ'.toLocaleLowerCase('tr'), 'ß'.toUpperCase());
console.log([...new Intl.Segmenter('en', { granularity: 'word' }).segment('Hi there!')].length, 'ñ'.normalize('NFD').length);
console.log(Intl.DateTimeFormat().resolvedOptions().locale, process.versions.icu !== undefined, /\p{Script=Greek}/u.test('α'));
process.env.TZ = 'America/New_York';
console.log(d.getHours(), d.getTimezoneOffset());
process.env.TZ = 'UTC';
console.log(d.getHours(), d.toString());
