import dayjs from 'dayjs';
import utc from 'dayjs/plugin/utc.js';
dayjs.extend(utc);
console.log(dayjs.utc('2026-01-31').add(1, 'month').format('YYYY-MM-DD dddd'), dayjs.utc('2026-03-01').diff('2026-02-01', 'day'));
