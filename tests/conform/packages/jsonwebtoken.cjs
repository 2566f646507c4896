const jwt = require('jsonwebtoken');
const token = jwt.sign({ sub: 'ada', iat: 1700000000 }, 'secret');
console.log(token);
console.log(jwt.verify(token, 'secret'));
try { jwt.verify(token, 'wrong'); } catch (e) { console.log(e.name, e.message); }
