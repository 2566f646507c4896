// guest/js/fetch-types.js -- Request and Response  (SPDX-License-Identifier: MIT)
//
// What fetch() takes and gives (fetch.js), and what tools and libraries pass around.

import * as p from './primordials.js';
import { AbortController, AbortSignal } from './abort.js';
import { Blob, blobBytes, concat, copyBytes, decodeText, encodeText } from './blob.js';
import { inspectCustom } from './events.js';
import { makeHeaders } from './headers.js';
import { ReadableStream, isDisturbed } from './streams.js';

/** [content, content type] of a body as callers may give it. */
function readInit(body) {
    if (body === null || body === undefined)
        return [null, null];
    const blob = blobBytes(body);
    if (blob !== undefined)
        return [copyBytes(blob), body.type || null];
    const bytes = copyBytes(body);
    if (bytes !== undefined)
        return [bytes, null];
    if (body instanceof ReadableStream) {
        if (body.locked || isDisturbed(body))
            throw new p.TypeError('Response body object should not be disturbed or locked');
        return [body, null];
    }
    if (p.isObject(body) && p.passes(p.URLSearchParamsToString, body))
        return [encodeText(p.URLSearchParamsToString(body)),
            'application/x-www-form-urlencoded;charset=UTF-8'];
    return [encodeText(p.StringToWellFormed(p.text(body))), 'text/plain;charset=UTF-8'];
}

let contentForClone;
let moveContent;

/** The bytes of a body at once, null without one, undefined if it is a stream. */
export let bodyNow;
/** A promise of them. */
export let collectBody;

class Body {
    #content = null;    // bytes, a stream, or nothing
    #stream = null;     // made when the guest asks for it
    #used = false;
    #headers;

    constructor(body, headers) {
        const init = readInit(body);
        this.#content = init[0];
        if (this.#content instanceof ReadableStream)
            this.#stream = this.#content;
        this.#headers = makeHeaders(headers ?? undefined);
        if (init[1] !== null && !this.#headers.has('content-type'))
            this.#headers.set('content-type', init[1]);
    }

    get headers() { return this.#headers; }
    get bodyUsed() { return this.#used || (this.#stream !== null && isDisturbed(this.#stream)); }
    get body() {
        if (this.#content === null)
            return null;
        if (this.#stream === null)
            this.#stream = new Blob([this.#content]).stream();
        return this.#stream;
    }

    async #take() {
        if (this.bodyUsed || this.#stream?.locked)
            throw new p.TypeError('Body is unusable: Body has already been read');
        if (this.#content === null)
            return new p.Uint8Array(0);
        this.#used = true;
        if (this.#stream === null)
            return this.#content;
        const parts = p.list();
        for await (const chunk of this.body)
            p.push(parts, copyBytes(chunk) ?? encodeText(p.text(chunk)));
        return concat(parts);
    }

    async text() { return decodeText(await this.#take()); }
    async json() { return p.jsonParse(decodeText(await this.#take())); }
    async bytes() { return copyBytes(await this.#take()); }
    async arrayBuffer() { return p.TypedArrayBuffer(copyBytes(await this.#take())); }
    async blob() {
        const type = this.#headers.get('content-type') ?? '';
        return new Blob([await this.#take()], { type });
    }

    /** A second, independent reader of the same content. */
    static {
        contentForClone = (body) => {
            if (body.bodyUsed || body.#stream?.locked)
                throw new p.TypeError('Response.clone: Body has already been consumed.');
            if (body.#content === null)
                return null;
            if (body.#stream === null)
                return copyBytes(body.#content);
            const branches = body.body.tee();
            body.#content = body.#stream = branches[0];
            return branches[1];
        };
        moveContent = (body) => {
            if (body.bodyUsed || body.#stream?.locked)
                throw new p.TypeError(
                    'Cannot construct a Request with a Request object that has already been used.');
            if (body.#content === null)
                return null;
            body.#used = true;
            return body.#stream ?? body.#content;
        };
        bodyNow = (body) => {
            if (body.#stream !== null)
                return undefined;
            body.#used = body.#content !== null;
            return body.#content;
        };
        collectBody = (body) => body.#take();
    }
}

const nullBody = (status) => status === 101 || status === 204 || status === 205 || status === 304;

/** The answer to a request; open() gives the stream of its body, null: it has none. */
export let networkResponse;

export class Response extends Body {
    #status = 200;
    #statusText = '';
    #type = 'default';
    #url = '';
    #redirected = false;

    constructor(body = null, init = undefined) {
        const status = init?.status === undefined ? 200 : p.trunc(p.Number(init.status));
        if (!(status >= 200 && status <= 599))
            throw new p.RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
        if (body !== null && body !== undefined && nullBody(status))
            throw new p.TypeError('Response constructor: Invalid response status code ' + status);
        super(body, init?.headers);
        this.#status = status;
        this.#statusText = init?.statusText === undefined ? '' : p.text(init.statusText);
    }

    static json(data, init = undefined) {
        const text = p.jsonStringify(data);
        if (text === undefined)
            throw new p.TypeError('Value is not JSON serializable');
        const response = new Response(text, init);
        if (init?.headers === undefined || !makeHeaders(init.headers).has('content-type'))
            response.headers.set('content-type', 'application/json');
        return response;
    }

    static error() {
        const response = new Response();
        response.#status = 0;
        response.#type = 'error';
        return response;
    }

    static redirect(url, status = 302) {
        if (status !== 301 && status !== 302 && status !== 303 && status !== 307 && status !== 308)
            throw new p.RangeError('Invalid status code ' + status);
        const response = new Response(null, { status });
        response.headers.set('location', p.URLHref(new p.URL(url)));
        return response;
    }

    get status() { return this.#status; }
    get statusText() { return this.#statusText; }
    get ok() { return this.#status >= 200 && this.#status <= 299; }
    get type() { return this.#type; }
    get url() { return this.#url; }
    get redirected() { return this.#redirected; }

    clone() {
        const copy = new Response(contentForClone(this), {
            status: this.#status || 200, statusText: this.#statusText, headers: this.headers,
        });
        copy.#status = this.#status;
        copy.#type = this.#type;
        copy.#url = this.#url;
        copy.#redirected = this.#redirected;
        return copy;
    }

    static {
        networkResponse = (head, open) => {
            const response = new Response(open === null || nullBody(head.status) ? null : open());
            response.#status = head.status;
            response.#statusText = head.statusText;
            response.#type = 'basic';
            response.#url = head.url;
            response.#redirected = head.redirected;
            const { lines } = head;
            for (let i = 0; i + 1 < lines.length; i += 2)    // a name it refuses is left out
                p.passes((name) => p.HeadersAppend(response.headers, name, lines[i + 1]), lines[i]);
            return response;
        };
    }

    [inspectCustom](depth, options, inspect) {
        const { status, statusText, headers, body, bodyUsed, ok, redirected, type, url } = this;
        return 'Response ' + inspect(
            { status, statusText, headers, body, bodyUsed, ok, redirected, type, url }, options);
    }
}
p.tag(Response, 'Response');
p.hide(Response.prototype, inspectCustom, Response.prototype[inspectCustom]);

const dataUrl = /^data:([^,]*),(.*)$/s;
const base64 = /^(.*?);\x20*base64$/is;

function percentDecode(text) {
    const from = encodeText(text);
    const size = p.TypedArrayByteLength(from);
    const to = new p.Uint8Array(size);
    let at = 0;
    for (let i = 0; i < size; i++, at++) {
        const code = from[i] === 37 && i + 2 < size
            ? p.Number('0x' + p.stringFromCharCode(from[i + 1], from[i + 2])) : -1;
        to[at] = code >= 0 ? code : from[i];
        if (code >= 0)
            i += 2;
    }
    return new p.Uint8Array(p.ArrayBufferSlice(p.TypedArrayBuffer(to), 0, at));
}

/** What a data: URL holds; null if it is none. */
export function dataResponse(url) {
    const parts = p.RegExpExec(dataUrl, p.split(url, '#')[0]);
    if (parts === null)
        return null;
    const coded = p.RegExpExec(base64, parts[1]);
    let bytes = percentDecode(parts[2]);
    if (coded !== null) {
        try {
            bytes = p.bytesFromBase64(p.Uint8Array, decodeText(bytes));
        } catch {
            return null;
        }
    }
    const named = p.StringTrim(coded === null ? parts[1] : coded[1]);
    const type = p.StringStartsWith(named, ';') ? 'text/plain' + named
        : p.StringIncludes(named, '/') ? named : 'text/plain;charset=US-ASCII';
    const lines = p.list();
    p.push(lines, 'content-type');
    p.push(lines, type);
    const head = {
        __proto__: null, status: 200, statusText: 'OK', url, redirected: false, lines,
    };
    return networkResponse(head, () => bytes);
}

const upper = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'];
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function methodText(method) {
    const text = p.text(method);
    if (p.RegExpExec(token, text) === null)
        throw new p.TypeError("'" + text + "' is not a valid HTTP method.");
    const known = p.StringToUpperCase(text);
    if (known === 'CONNECT' || known === 'TRACE' || known === 'TRACK')
        throw new p.TypeError("'" + text + "' HTTP method is unsupported.");
    for (let i = 0; i < upper.length; i++) {
        if (known === upper[i])
            return known;
    }
    return text;
}

/** Members that only a network would give meaning to, with their defaults. */
const settings = [
    ['mode', 'cors'], ['credentials', 'same-origin'], ['cache', 'default'], ['redirect', 'follow'],
    ['referrer', 'about:client'], ['referrerPolicy', ''], ['integrity', ''], ['keepalive', false],
    ['destination', ''], ['duplex', 'half'],
];

function urlText(input) {
    const text = p.text(input);
    let url;
    try {
        url = new p.URL(text);
    } catch (cause) {
        throw new p.TypeError('Failed to parse URL from ' + text, { __proto__: null, cause });
    }
    if (p.URLUsername(url) !== '' || p.URLPassword(url) !== '')
        throw new p.TypeError(
            'Request cannot be constructed from a URL that includes credentials: ' + text);
    return p.URLHref(url);
}

function signalOf(init, from) {
    const given = init?.signal === undefined ? from : init.signal;
    if (given === undefined || given === null)
        return new AbortController().signal;
    if (!(given instanceof AbortSignal))
        throw new p.TypeError(
            "Failed to construct 'Request': member signal is not of type AbortSignal.");
    return given;
}

export class Request extends Body {
    #url;
    #method;
    #signal;
    #settings;

    constructor(input, init = undefined) {
        const from = p.isObject(input) && #url in input ? input : null;
        const url = from === null ? urlText(input) : from.#url;
        const method = methodText(init?.method ?? from?.#method ?? 'GET');
        const body = init?.body ?? (from === null ? null : moveContent(from));
        if (body !== null && (method === 'GET' || method === 'HEAD'))
            throw new p.TypeError('Request with GET/HEAD method cannot have body.');
        super(body, init?.headers ?? from?.headers);
        this.#url = url;
        this.#method = method;
        this.#signal = signalOf(init, from?.#signal);
        this.#settings = { __proto__: null };
        for (let i = 0; i < settings.length; i++) {
            const name = settings[i][0];
            this.#settings[name] = init?.[name] ?? from?.[name] ?? settings[i][1];
        }
        const { redirect } = this.#settings;
        if (redirect !== 'follow' && redirect !== 'error' && redirect !== 'manual')
            throw new p.TypeError('Request constructor: ' + p.text(redirect) +
                ' is not an accepted type. Expected one of follow, manual, error.');
    }

    get url() { return this.#url; }
    get method() { return this.#method; }
    get signal() { return this.#signal; }
    clone() { return new Request(this, { __proto__: null, body: contentForClone(this) }); }

    [inspectCustom](depth, options, inspect) {
        const { method, url, headers, signal } = this;
        return 'Request ' + inspect({ method, url, headers, signal }, options);
    }

    static {
        for (let i = 0; i < settings.length; i++) {
            const name = settings[i][0];
            p.defineProperty(this.prototype, name, {
                __proto__: null, configurable: true, get() { return this.#settings[name]; },
            });
        }
    }
}
p.tag(Request, 'Request');
p.hide(Request.prototype, inspectCustom, Request.prototype[inspectCustom]);
