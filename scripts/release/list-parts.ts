import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }

type Spdx = { documentNamespace: string; creationInfo: { created: string } }

const run = promisify(execFile)

/** Lists the packages of a release as SPDX, made by npm from the lock file, without the time and the random id of npm. */
export async function listParts(root: string): Promise<string> {
  const flags = ['--sbom-format=spdx', '--sbom-type=application', '--omit=dev', '--package-lock-only']
  const { stdout } = await run('npm', ['sbom', ...flags], { cwd: root, maxBuffer: 64 * 1024 * 1024 })
  const document = JSON.parse(stdout) as Spdx
  document.documentNamespace = `https://spdx.org/spdxdocs/svc-${packageJson.version}`
  document.creationInfo.created = '1970-01-01T00:00:00Z'
  return `${JSON.stringify(document, null, 2)}\n`
}
