// The server is named by the caller: process.argv[2].
const axios = require('axios');
(async () => {
    const at = process.argv[2];
    console.log((await axios.get(at + '/hello')).data);
    console.log((await axios.post(at + '/echo', { a: [1, 2] })).data);
    try { await axios.get(at + '/missing'); } catch (e) { console.log(e.response.status); }
    console.log(await (await fetch(at + '/hello')).json());
    require('http').get(at + '/hello', (r) => r.on('data', (d) => console.log(String(d))));
})();
