// Types are stripped, lines and columns stay: glovebox run examples/hello.ts
interface Greeting {
    readonly to: string;
    times?: number;
}

enum Tone { Plain, Loud }

function greet({ to, times = 1 }: Greeting, tone: Tone = Tone.Plain): string[] {
    const text = `Hello, ${to}${tone === Tone.Loud ? '!' : '.'}`;
    return Array.from({ length: times }, (): string => text);
}

export default greet({ to: 'glovebox', times: 2 } satisfies Greeting, Tone.Loud);
