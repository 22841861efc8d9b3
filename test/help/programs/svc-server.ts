import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Environment } from '../../../src/server/config/reader.ts'
import { COMMAND_FILE } from './command-file.ts'
import { programEnvironment } from './program-environment.ts'

const run = promisify(execFile)

type Done = { exit: number; stdout: string; stderr: string }

/** Runs a command of `svc-server` as an operator does, in a process of its own. */
export async function svcServer(env: Environment, ...args: string[]): Promise<Done> {
  try {
    const done = await run(process.execPath, [COMMAND_FILE, ...args], { env: { ...programEnvironment, ...env } })
    return { exit: 0, ...done }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { exit: code, stdout, stderr }
  }
}
