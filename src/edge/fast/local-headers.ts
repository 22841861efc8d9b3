const PLAIN_NAME = /^[a-z0-9-]+$/
/** Visible ASCII, with spaces only inside: text that a real `Headers` leaves as it is. */
const PLAIN_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/**
 * Makes the headers of a call in memory, of which few are read. A real `Headers` checks and sorts all of them, which took
 * longer than reading them. One is made when anything but `get` and `has` is used.
 */
export function localHeaders(fields: Readonly<Record<string, string>>): Headers {
  for (const name in fields) if (!PLAIN_NAME.test(name) || !PLAIN_VALUE.test(fields[name]!)) return new Headers(fields)
  // Has every method of Headers: those that it does not define itself are defined below.
  return new LocalHeaders(fields) as unknown as Headers
}

class LocalHeaders {
  readonly #fields: Readonly<Record<string, string>>
  #whole: Headers | undefined

  constructor(fields: Readonly<Record<string, string>>) {
    this.#fields = fields
  }

  get(name: string): string | null {
    if (this.#whole || !PLAIN_NAME.test(name)) return this.whole.get(name)
    return Object.hasOwn(this.#fields, name) ? this.#fields[name]! : null
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  get whole(): Headers {
    this.#whole ??= new Headers(this.#fields)
    return this.#whole
  }
}

Object.setPrototypeOf(LocalHeaders.prototype, Headers.prototype)
Object.defineProperty(LocalHeaders.prototype, 'constructor', { value: Headers })
for (const name of Reflect.ownKeys(Headers.prototype)) {
  if (Object.hasOwn(LocalHeaders.prototype, name) || name === Symbol.toStringTag) continue
  Object.defineProperty(LocalHeaders.prototype, name, {
    value(this: LocalHeaders, ...args: unknown[]): unknown {
      const method = Reflect.get(this.whole, name) as (...given: unknown[]) => unknown
      return method.apply(this.whole, args)
    },
  })
}
