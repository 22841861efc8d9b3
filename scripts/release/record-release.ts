import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { CONTRACT, RECORD, readCurrent, readRecord, recordFault } from './record.ts'

/**
 * `npm run release:record`, after package.json, chart/Chart.yaml and the skills got a new version: records the API and
 * the migrations of that version. A recorded version never changes, so that `v<version>` means the same everywhere.
 */
const { version } = packageJson
const current = readCurrent()
const recorded = await readRecord()
const today = new Date().toISOString().slice(0, 10)
const changelog = await readFile(join(import.meta.dirname, '..', '..', 'CHANGELOG.md'), 'utf8')
const fault =
  recordFault(version, current, recorded, today) ??
  (changelog.includes(`\n## [${version}]`) ? undefined : `CHANGELOG.md has no section [${version}].`)

if (fault !== undefined) {
  console.error(fault)
  process.exitCode = 1
} else if (version in recorded.record) console.log(`${version} was recorded already and is unchanged`)
else {
  const { contract, migrations, lines } = current
  const entry = { date: today, contract, migrations }
  await writeFile(RECORD, `${JSON.stringify({ ...recorded.record, [version]: entry }, null, 2)}\n`)
  await writeFile(CONTRACT, `${lines.join('\n')}\n`)
  console.log(`recorded ${version}`)
}
