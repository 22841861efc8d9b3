import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments, stringify } from 'yaml'
import { stores } from '../stores.ts'

const run = promisify(execFile)
const CHART = join(import.meta.dirname, '..', '..', '..', 'chart')

export type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  spec?: unknown
  rules?: unknown
  stringData?: Record<string, string>
}

type Release = { manifests: Manifest[]; notes: string }

type HelmRelease = { manifest: string; hooks?: { manifest: string }[]; info: { notes: string } }

/**
 * Renders the chart as `helm install` would, without a cluster. `reused`: the values are all there is, as with
 * `helm upgrade --reuse-values` from an older chart, where values.yaml of the new chart is not read.
 * Throws with the message of Helm.
 */
export async function renderChart(values: unknown, { reused = false } = {}): Promise<Release> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-chart-'))
  try {
    const file = join(folder, 'values.yaml')
    writeFileSync(file, stringify(values))
    const chart = join(folder, 'svc')
    cpSync(CHART, chart, { recursive: true })
    if (reused) writeFileSync(join(chart, 'values.yaml'), '{}\n')
    const args = [
      'install',
      'svc',
      chart,
      '--dry-run=client',
      '--namespace',
      'svc',
      '--output',
      'json',
      '--values',
      file,
    ]
    // Helm on another processor architecture runs emulated, where collecting garbage takes a fifth of the time.
    const { stdout } = await run(stores.helm!, args, { maxBuffer: 2 ** 26, env: { ...process.env, GOGC: 'off' } })
    const release = JSON.parse(stdout) as HelmRelease
    const texts = [release.manifest, ...(release.hooks ?? []).map(({ manifest }) => manifest)]
    return { manifests: texts.flatMap(parseManifests), notes: release.info.notes }
  } catch (error) {
    throw new Error((error as { stderr?: string }).stderr ?? String(error), { cause: error })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as Manifest | null) ?? [])
}
