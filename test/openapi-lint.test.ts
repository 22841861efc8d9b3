import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import { toOpenApi } from '#edge/openapi/document.ts'

it('OP-04 the OpenAPI document passes the recommended rules of Redocly without a warning', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-openapi-'))
  try {
    const file = join(folder, 'openapi.json')
    writeFileSync(file, JSON.stringify(toOpenApi(OPERATIONS, { version: '1.2.3' })))
    const command = ['node_modules/@redocly/cli/bin/cli.js', 'lint', file, '--config=redocly.yaml', '--format=json']
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const run = spawnSync(process.execPath, command, { encoding: 'utf8', env })
    const { totals } = JSON.parse(run.stdout) as { totals: object }
    expect(totals, run.stdout.slice(0, 2_000)).toEqual({ errors: 0, warnings: 0, ignored: 0 })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
