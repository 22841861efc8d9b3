import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TRICKS } from './tricks.ts'

/**
 * Loaded with `--import swap.ts?NAME`: every import of that trick gets a module that runs the trick or its plain module,
 * and SIGUSR2 changes from one to the other. Both in one process: two equal processes differ by more than most tricks
 * save, because each compiles its code in another way.
 */
const name = new URL(import.meta.url).search.slice(1)
const { file, exports, makesFunctions = false } = TRICKS[name]!
const urlOf = (...parts: string[]) => pathToFileURL(join(import.meta.dirname, '..', '..', ...parts)).href
const trick = urlOf(file)
const plain = urlOf('bench', 'fast', 'plain', `${name}.ts`)
const both = `${trick}?both`

Object.assign(globalThis, { isPlain: false })
process.on('SIGUSR2', () => Object.assign(globalThis, { isPlain: !Reflect.get(globalThis, 'isPlain') }))

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    const isOurs = context.parentURL === plain || context.parentURL === both
    return found.url === trick && !isOurs ? { ...found, url: both, format: 'module' } : found
  },
  load(url, context, next) {
    if (url !== both) return next(url, context)
    return { format: 'module', shortCircuit: true, source: sourceOfBoth() }
  },
})

function sourceOfBoth(): string {
  const choose = makesFunctions
    ? (one: string) =>
        `(...args) => { const [a, b] = [fast.${one}(...args), plain.${one}(...args)]; return (...more) => (isPlain ? b : a)(...more) }`
    : (one: string) => `(...args) => (isPlain ? plain : fast).${one}(...args)`
  const lines = exports.map((one) => `export const ${one} = ${choose(one)}`)
  return [`import * as fast from '${trick}'`, `import * as plain from '${plain}'`, ...lines].join('\n')
}
