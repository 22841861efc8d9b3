import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Manifest } from '../kubernetes/helm.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..', '..')

const OPTIONS = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  module: 'preserve',
  moduleResolution: 'bundler',
  target: 'esnext',
  types: [],
}

/**
 * Checks manifests against the types of the Kubernetes API. A field that Kubernetes does not know is a fault, as with
 * `kubectl --validate=strict`. Returns one line per fault, which begins with the name of the group.
 */
export async function typeFaults(groups: Readonly<Record<string, readonly Manifest[]>>): Promise<string[]> {
  const cache = join(ROOT, 'node_modules', '.cache', 'svc-test')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'manifests-'))
  try {
    for (const [name, manifests] of Object.entries(groups))
      writeFileSync(join(folder, `${name}.ts`), toSource(manifests))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts'] }))
    await run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['--project', folder, '--pretty', 'false'], { cwd: folder })
    return []
  } catch (error) {
    const { stdout = '' } = error as { stdout?: string }
    if (stdout === '') throw error
    return stdout.split('\n').filter((line) => line.includes('error TS'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes each manifest as a literal with the type of its kind, because excess properties are found in literals only. */
function toSource(manifests: readonly Manifest[]): string {
  return manifests
    .map(
      (manifest, i) =>
        `import type { I${manifest.kind} as T${i} } from '${moduleOf(manifest)}'\n` +
        `export const m${i}: T${i} = ${JSON.stringify(manifest, null, 1)}\n`,
    )
    .join('')
}

/** Checks values that types cannot say, such as quantities. Returns the faults. */
export async function valueFaults(manifests: readonly Manifest[]): Promise<string[]> {
  const faults = await Promise.all(
    manifests.map(async (manifest) => {
      const module = (await import(moduleOf(manifest))) as Record<string, new (json: unknown) => { validate(): void }>
      const Model = module[manifest.kind]!
      try {
        new Model(manifest).validate()
        return []
      } catch (error) {
        return [`${manifest.kind} ${manifest.metadata.name}: ${String(error)}`]
      }
    }),
  )
  return faults.flat()
}

function moduleOf({ apiVersion }: Manifest): string {
  return `kubernetes-models/${apiVersion}`
}
