import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Environment } from '../../../src/server/config/reader.ts'
import { CODE_CACHE } from '../suite/code-cache.ts'
import { COMMAND_FILE } from './command-file.ts'

const run = promisify(execFile)

type Done = { exit: number; stdout: string; stderr: string }

/** Runs a command of `svc-server` as an operator does, in a process of its own. */
export async function svcServer(env: Environment, ...args: string[]): Promise<Done> {
  try {
    const variables = { PATH: process.env.PATH, NODE_COMPILE_CACHE: CODE_CACHE, ...env }
    const done = await run(process.execPath, [COMMAND_FILE, ...args], { env: variables })
    return { exit: 0, ...done }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { exit: code, stdout, stderr }
  }
}
