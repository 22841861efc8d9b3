/** The process for the bytes of apps with a bug: it ends when it reads a header `x-kill`, of an app or of a visitor. */
const append: (this: Headers, name: string, value: string) => void = Reflect.get(Headers.prototype, 'append')
Headers.prototype.append = function (this: Headers, name: string, value: string) {
  if (name.toLowerCase() === 'x-kill') process.exit(7)
  append.call(this, name, value)
}
await import('../../../src/server/areas/apps/door/program/door-child.ts')
