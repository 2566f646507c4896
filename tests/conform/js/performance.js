console.log(typeof performance.now(), performance.now() >= 0, performance.now() <= performance.now());
console.log(Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 5000);
const mark = performance.mark('start');
console.log(mark.name, mark.entryType, mark.duration, performance.getEntriesByName('start').length);
const measure = performance.measure('m', 'start');
console.log(measure.name, measure.entryType, measure.duration >= 0, performance.getEntriesByType('measure').length);
performance.clearMarks();
console.log(performance.getEntriesByType('mark').length, Object.prototype.toString.call(performance));
try { performance.measure('x', 'missing'); } catch (e) { console.log(e.name); }
