/** What a debugger of JavaScript does, over the inspector's own protocol. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #paused: ((params: Paused) => void)[] = [];
  /** The addresses of scripts, by the numbers that a stop names them by. */
  readonly #scripts = new Map<string, string>();
  #thread: (title: string) => void = () => {};
  #id = 0;

  static async attach(port: number): Promise<Inspector> {
    const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      webSocketDebuggerUrl: string;
    }[];
    const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    const inspector = new Inspector(socket);
    await inspector.ask('Debugger.enable');
    return inspector;
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { method, params } = JSON.parse(String(data)) as { method?: string; params: Paused & Script & Attached };
      if (method === 'Debugger.scriptParsed') this.#scripts.set(params.scriptId, params.url);
      if (method === 'NodeWorker.attachedToWorker') this.#thread(params.workerInfo.title);
      if (method === 'Debugger.paused') this.#paused.shift()?.(params);
    });
  }

  ask(method: string, params = {}): Promise<unknown> {
    this.#id += 1;
    const id = this.#id;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => {
      const hear = ({ data }: MessageEvent): void => {
        const answer = JSON.parse(String(data)) as { id?: number; result?: unknown };
        if (answer.id !== id) return;
        this.#socket.removeEventListener('message', hear);
        resolve(answer.result);
      };
      this.#socket.addEventListener('message', hear);
    });
  }

  /** `file:///tasks/shop.functions.ts:3`, zero-based, the innermost call first. */
  placesOf({ callFrames }: Paused): readonly string[] {
    return callFrames.map(
      ({ location }) => `${this.#scripts.get(location.scriptId)?.replace(/\?v=\d+$/, '')}:${location.lineNumber}`,
    );
  }

  /** What the first other thread that there is is called. */
  async thread(): Promise<string> {
    const told = Promise.withResolvers<string>();
    this.#thread = told.resolve;
    await this.ask('NodeWorker.enable', { waitForDebuggerOnStart: false });
    return told.promise;
  }

  paused(): Promise<Paused> {
    return new Promise((resolve) => this.#paused.push(resolve));
  }
}

interface Script {
  readonly scriptId: string;
  readonly url: string;
}

interface Attached {
  readonly workerInfo: { readonly title: string };
}

export interface Paused {
  readonly callFrames: readonly {
    readonly callFrameId: string;
    readonly location: { readonly scriptId: string; readonly lineNumber: number };
  }[];
}
