// guest/js/fetch-types.js -- Request and Response, without a network  (SPDX-License-Identifier: MIT)
//
// A cell cannot fetch; these are the types that tools and libraries pass around.

import * as p from './primordials.js';
import { AbortController, AbortSignal } from './abort.js';
import { Blob, blobBytes, concat, copyBytes, decodeText, encodeText } from './blob.js';
import { inspectCustom } from './events.js';
import { ReadableStream, isDisturbed } from './streams.js';

const { Headers } = p;

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

class Body {
    #content = null;    // bytes, a stream, or nothing
    #stream = null;     // made when the guest asks for it
    #used = false;
    #headers;

    constructor(body, headers) {
        const init = readInit(body);
        this.#content = init[0];
        this.#headers = new Headers(headers ?? undefined);
        if (init[1] !== null && !this.#headers.has('content-type'))
            this.#headers.set('content-type', init[1]);
    }

    get headers() { return this.#headers; }
    get bodyUsed() { return this.#used || (this.#stream !== null && isDisturbed(this.#stream)); }
    get body() {
        if (this.#content === null)
            return null;
        if (this.#stream === null)
            this.#stream = this.#content instanceof ReadableStream
                ? this.#content : new Blob([this.#content]).stream();
        return this.#stream;
    }

    async #take() {
        if (this.bodyUsed || this.#stream?.locked)
            throw new p.TypeError('Body is unusable: Body has already been read');
        if (this.#content === null)
            return new p.Uint8Array(0);
        this.#used = true;
        if (this.#stream === null && !(this.#content instanceof ReadableStream))
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
            if (body.#stream === null && !(body.#content instanceof ReadableStream))
                return copyBytes(body.#content);
            const branches = body.body.tee();
            body.#content = body.#stream = branches[0];
            return branches[1];
        };
    }
}

const nullBody = (status) => status === 101 || status === 204 || status === 205 || status === 304;

export class Response extends Body {
    #status = 200;
    #statusText = '';
    #type = 'default';
    #url = '';

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
        if (init?.headers === undefined || !new Headers(init.headers).has('content-type'))
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
    get redirected() { return false; }

    clone() {
        const copy = new Response(contentForClone(this), {
            status: this.#status || 200, statusText: this.#statusText, headers: this.headers,
        });
        copy.#status = this.#status;
        copy.#type = this.#type;
        return copy;
    }

    [inspectCustom](depth, options, inspect) {
        const { status, statusText, headers, body, bodyUsed, ok, redirected, type, url } = this;
        return 'Response ' + inspect(
            { status, statusText, headers, body, bodyUsed, ok, redirected, type, url }, options);
    }
}
p.tag(Response, 'Response');
p.hide(Response.prototype, inspectCustom, Response.prototype[inspectCustom]);

const upper = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'];

function methodText(method) {
    const text = p.text(method);
    const known = p.StringToUpperCase(text);
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

export class Request extends Body {
    #url;
    #method;
    #signal;
    #settings;

    constructor(input, init = undefined) {
        const from = p.isObject(input) && #url in input ? input : null;
        const url = from === null ? p.URLHref(new p.URL(p.text(input))) : from.#url;
        const method = methodText(init?.method ?? from?.#method ?? 'GET');
        const body = init?.body ?? (from === null ? null : contentForClone(from));
        if (body !== null && (method === 'GET' || method === 'HEAD'))
            throw new p.TypeError('Request with GET/HEAD method cannot have body.');
        super(body, init?.headers ?? from?.headers);
        this.#url = url;
        this.#method = method;
        this.#signal = init?.signal ?? from?.#signal ?? new AbortController().signal;
        if (!(this.#signal instanceof AbortSignal))
            throw new p.TypeError('Request: "signal" must be an AbortSignal');
        this.#settings = { __proto__: null };
        for (let i = 0; i < settings.length; i++) {
            const name = settings[i][0];
            this.#settings[name] = init?.[name] ?? from?.[name] ?? settings[i][1];
        }
    }

    get url() { return this.#url; }
    get method() { return this.#method; }
    get signal() { return this.#signal; }
    clone() { return new Request(this); }

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
