import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TRICKS, type Trick } from './tricks.ts'

/**
 * Loaded with `--import swap.ts?NAME[+NAME…]`: every import of those tricks gets a module that runs the trick or its plain
 * module, and SIGUSR2 changes all from one to the other. Both in one process: two equal processes differ by more than most
 * tricks save, because each compiles its code in another way.
 */
const names = new URL(import.meta.url).search.slice(1).split('+')
const urlOf = (...parts: string[]) => pathToFileURL(join(import.meta.dirname, '..', '..', ...parts)).href
const swaps = names.map((name) => swapOf(name, TRICKS[name]!))

Object.assign(globalThis, { isPlain: false })
process.on('SIGUSR2', () => Object.assign(globalThis, { isPlain: !Reflect.get(globalThis, 'isPlain') }))

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    const swap = swaps.find(({ trick }) => trick === found.url)
    const isOurs = context.parentURL === swap?.plain || context.parentURL === swap?.both
    return swap && !isOurs ? { ...found, url: swap.both, format: 'module' } : found
  },
  load(url, context, next) {
    const swap = swaps.find(({ both }) => both === url)
    return swap ? { format: 'module', shortCircuit: true, source: swap.source } : next(url, context)
  },
})

function swapOf(name: string, { file, exports, makesFunctions = false }: Trick) {
  const trick = urlOf(file)
  const plain = urlOf('bench', 'fast', 'plain', `${name}.ts`)
  const choose = makesFunctions
    ? (one: string) => `(...args) => either(fast.${one}(...args), plain.${one}(...args))`
    : (one: string) => `(...args) => (isPlain ? plain : fast).${one}(...args)`
  const lines = exports.map((one) => `export const ${one} = ${choose(one)}`)
  const either = `const either = (a, b) => typeof a === 'function' ? (...more) => (isPlain ? b : a)(...more)
    : Object.fromEntries(Object.keys(a).map((key) => [key, either(a[key], b[key])]))`
  const source = [`import * as fast from '${trick}'`, `import * as plain from '${plain}'`, either, ...lines].join('\n')
  return { trick, plain, both: `${trick}?both`, source }
}
