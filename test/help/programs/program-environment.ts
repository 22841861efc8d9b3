import type { Environment } from '../../../src/server/config/reader.ts'
import { CODE_CACHE } from '../suite/code-cache.ts'

/** The variables that a program of ours needs. Others of the tests could change what a test proves. */
export const programEnvironment: Environment = {
  PATH: process.env.PATH,
  TMPDIR: process.env.TMPDIR,
  NODE_COMPILE_CACHE: CODE_CACHE,
}
