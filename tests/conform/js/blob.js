const blob = new Blob(['hello ', new Uint8Array([119, 111]), new Blob(['rld']), '€'], { type: 'Text/Plain' });
console.log(blob.size, blob.type, blob);
blob.text().then(async (text) => {
    console.log(text);
    console.log(await blob.slice(0, 5).text(), await blob.slice(-3).arrayBuffer(), blob.slice(2, 4, 'a/b').type, blob.slice(4, 2).size);
    console.log(new Uint8Array(await new Blob([new Uint16Array([1, 2])]).arrayBuffer()));
    const chunks = [];
    for await (const chunk of new Blob(['stream']).stream()) chunks.push(chunk);
    console.log(chunks.length, new TextDecoder().decode(chunks[0]));
    const file = new File(['data'], 'name.txt', { type: 'text/plain', lastModified: 5 });
    console.log(file.name, file.size, file.type, file.lastModified, file instanceof Blob, await file.text());
    console.log(new Blob().size, new Blob([]).type, new Blob([1, null, { a: 1 }]).size);
    try { new Blob('not a sequence'); } catch (e) { console.log(e.name); }
    console.log(Object.prototype.toString.call(blob), Object.prototype.toString.call(file));
});
