/** The part of WebAssembly's interface that is used here; Node's types lack it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
};

/** A module of WebAssembly, compiled when it is first used. */
export class LazyModule {
  private compiled: object | undefined;

  constructor(private readonly base64: string) {}

  /** What a new instance exports. */
  instantiate(imports: object): object {
    this.compiled ??= new WebAssembly.Module(
      Uint8Array.from(atob(this.base64), (c) => c.charCodeAt(0)),
    );
    return new WebAssembly.Instance(this.compiled, imports).exports;
  }
}
