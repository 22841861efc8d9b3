import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isBundled, rootFolder } from '#lib/files/bundle.ts'

/** The custom properties of colours and type, which the console imports too. A release has a copy of the file. */
export const LOOK = readFileSync(join(rootFolder, ...(isBundled ? [] : ['src']), 'look', 'tokens.css'), 'utf8')
