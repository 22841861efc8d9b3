import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TRICKS } from './tricks.ts'

/** Loaded with `--import swap.ts?NAME`: every import of that trick gets the plain module of the same name. */
const name = new URL(import.meta.url).search.slice(1)
const urlOf = (...parts: string[]) => pathToFileURL(join(import.meta.dirname, '..', '..', ...parts)).href
const trick = urlOf(TRICKS[name]!)
const plain = urlOf('bench', 'fast', 'plain', `${name}.ts`)

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    return found.url === trick && context.parentURL !== plain ? { ...found, url: plain } : found
  },
})
