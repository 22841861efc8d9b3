import { pathParameters, pathShape } from '#contract/core/operation.ts'

type PathParameters = Record<string, string>
type Entry<T> = { readonly method: string; readonly path: string; readonly target: T }
type Shaped<T> = { readonly target: T; readonly shape: RegExp; readonly params: readonly string[] }

type Found<T> = { readonly target: T; readonly params: PathParameters }
type FindRoute<T> = (method: string, path: string) => Found<T> | undefined

/** Matches paths without parameters first; among those with parameters the first entry that fits wins. */
export function createRouter<T>(entries: readonly Entry<T>[]): FindRoute<T> {
  const plain = new Map<string, Found<T>>()
  const shaped = new Map<string, Shaped<T>[]>()
  for (const { method, path, target } of entries) {
    const params = pathParameters(path)
    const key = groupOf(method, path)
    if (params.length > 0) shaped.set(key, [...(shaped.get(key) ?? []), { params, shape: catching(path), target }])
    else plain.set(`${method} ${path}`, { target, params: {} })
  }
  return (method, path) => plain.get(`${method} ${path}`) ?? findShaped(shaped.get(groupOf(method, path)), path)
}

/** A path parameter contains no slash, so only paths with as many slashes can match. */
function groupOf(method: string, path: string): string {
  let slashes = 0
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) slashes++
  return `${method} ${slashes}`
}

function findShaped<T>(shaped: readonly Shaped<T>[] | undefined, path: string): Found<T> | undefined {
  for (const { shape, params, target } of shaped ?? []) {
    const values = shape.exec(path)?.slice(1)
    if (values) return { target, params: Object.fromEntries(params.map((name, n) => [name, decode(values[n]!)])) }
  }
  return undefined
}

/** Returns the shape of a path with one capture group per path parameter. */
function catching(path: string): RegExp {
  return new RegExp(pathShape(path).source.replaceAll('[^/]+', '([^/]+)'))
}

/** Decodes percent-encoding. Bytes that are not UTF-8 stay encoded, and the schema refuses them. */
function decode(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => {
    try {
      return decodeURIComponent(run)
    } catch {
      return run
    }
  })
}

/** Returns path and query of a URL as they were sent. Avoids `new URL`, which costs more than the routing. */
export function splitUrl(url: string): { path: string; query: string } {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.slice(start).search(/[?#]/)
  const mark = url.indexOf('?')
  return {
    path: end === -1 ? url.slice(start) : url.slice(start, start + end),
    query: mark === -1 ? '' : url.slice(mark + 1),
  }
}
