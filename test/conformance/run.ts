import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SUITE = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')
/** How the suite names the folder of a scenario's results. */
const FOLDER = /^(?:server-|client-)?(.+?)-\d{4}-\d\d-\d\dT[\d-]+Z$/

type Check = { id: string; status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'; errorMessage?: string }
export type Results = { output: string; scenarios: Map<string, Check[]> }

/**
 * Runs the official suite, as installed, with these arguments. `onOutput` hears what it prints while it runs, for a
 * scenario that waits for somebody to open an address.
 */
export async function runConformance(args: readonly string[], onOutput?: (text: string) => void): Promise<Results> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'))
  try {
    const output = await run([SUITE, ...args, '--output-dir', folder], onOutput)
    return { output, scenarios: readResults(folder) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Its exit code counts only what is scored; what failed is read from the results. */
function run(args: string[], onOutput?: (text: string) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH }, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const collect = (chunk: Buffer) => {
      output += chunk.toString()
      onOutput?.(chunk.toString())
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', reject)
    child.once('close', () => resolve(output))
  })
}

function readResults(folder: string): Map<string, Check[]> {
  const entries = readdirSync(folder).map((name): [string, Check[]] => {
    const checks = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[]
    return [FOLDER.exec(name)?.[1] ?? name, checks]
  })
  return new Map(entries)
}

/** `scenario`, or `scenario:check` where the check has another name; each once. */
export function failuresOf({ scenarios }: Results): string[] {
  const failed = [...scenarios].flatMap(([scenario, checks]) =>
    checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => (id === scenario ? id : `${scenario}:${id}`)),
  )
  return [...new Set(failed)].sort()
}
