import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { App } from '../fault-app.ts'
import type { Fix } from './fixes.ts'

const run = promisify(execFile)

/** Runs the test of a repair on the source as it is and with the repair. */
export async function proveFix(app: App, fix: Fix): Promise<{ before: 'red' | 'green'; after: 'red' | 'green' }> {
  const repaired = { ...app.files, [fix.path]: app.files[fix.path]!.replace(fix.old, () => fix.new) }
  return { before: await colourOf(app.files, fix), after: await colourOf(repaired, fix) }
}

async function colourOf(files: App['files'], { test }: Fix): Promise<'red' | 'green'> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-fix-'))
  try {
    const all = { 'package.json': '{"type": "module"}', ...files, [test!.path]: test!.text }
    for (const [path, text] of Object.entries(all)) {
      await mkdir(join(folder, dirname(path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    // A runner within a runner would report to the outer one.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    await run(process.execPath, [test!.path], { cwd: folder, env })
    return 'green'
  } catch (error) {
    // Any other end than that of a failed test would prove nothing.
    if (!(error instanceof Error && 'code' in error && error.code === 1)) throw error
    return 'red'
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
