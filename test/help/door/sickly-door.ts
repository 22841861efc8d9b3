/** The process for the bytes of apps with a bug: it ends when it reads the status of any answer. */
const NativeResponse = Response
globalThis.Response = class extends NativeResponse {
  constructor(...given: ConstructorParameters<typeof Response>) {
    super(...given)
    if (given[1]?.status === 200) process.exit(7)
  }
}
await import('../../../src/server/areas/apps/door/program/door-child.ts')
