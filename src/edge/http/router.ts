import { pathHoles, pathShape } from '#contract/core/operation.ts'

type Holes = Record<string, string>
type Entry<T> = { readonly method: string; readonly path: string; readonly target: T }
type Shaped<T> = Entry<T> & { readonly shape: RegExp; readonly holes: readonly string[] }

export type Found<T> = { readonly target: T; readonly holes: Holes }
export type FindRoute<T> = (method: string, path: string) => Found<T> | undefined

/** A path written out comes before one with holes; among those the first that fits. */
export function createRouter<T>(entries: readonly Entry<T>[]): FindRoute<T> {
  const plain = new Map<string, Found<T>>()
  const shaped: Shaped<T>[] = []
  for (const entry of entries) {
    const { method, path, target } = entry
    const holes = pathHoles(path)
    if (holes.length > 0) shaped.push({ ...entry, holes, shape: catching(path) })
    else plain.set(`${method} ${path}`, { target, holes: {} })
  }
  return (method, path) => plain.get(`${method} ${path}`) ?? findShaped(shaped, method, path)
}

function findShaped<T>(shaped: readonly Shaped<T>[], method: string, path: string): Found<T> | undefined {
  for (const { method: taken, shape, holes, target } of shaped) {
    const values = taken === method ? shape.exec(path)?.slice(1) : undefined
    if (values) return { target, holes: Object.fromEntries(holes.map((hole, n) => [hole, decode(values[n]!)])) }
  }
  return undefined
}

/** The shape of a path, with what stands in each hole caught. */
function catching(path: string): RegExp {
  return new RegExp(pathShape(path).source.replaceAll('[^/]+', '([^/]+)'))
}

/** What is no UTF-8 stays as it was sent, for the schema to judge. */
function decode(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => {
    try {
      return decodeURIComponent(run)
    } catch {
      return run
    }
  })
}

/** Path and query of a request's address, as they were sent. Not `new URL`: that one costs more than the routing. */
export function splitUrl(url: string): { path: string; query: string } {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.slice(start).search(/[?#]/)
  const mark = url.indexOf('?')
  return {
    path: end === -1 ? url.slice(start) : url.slice(start, start + end),
    query: mark === -1 ? '' : url.slice(mark + 1),
  }
}
