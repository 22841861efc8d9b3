import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const BIN = join(import.meta.dirname, '..', '..', '..', 'bin', 'svc-server.js')

it('OP-09 svc-server prints no control sequence that a name or an error text contains', async () => {
  const unknown = promisify(execFile)(process.execPath, [BIN, '\u001b[2Jnotes\u202e\u009b'])
  const refused = await unknown.catch((error: { stderr: string }) => error)
  expect(refused.stderr).toBe(
    'svc-server: Unknown command: ‹U+001B›[2Jnotes‹U+202E›‹U+009B›.\nUse svc-server --help for more information.\n',
  )
})
