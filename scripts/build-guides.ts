import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import type { SiteForm } from '../src/server/areas/guides/site/form.ts'
import { makeSite } from '../src/server/areas/guides/site/make-site.ts'

const root = join(import.meta.dirname, '..')

/** Writes the guides as pages, with links as a server or a folder needs them. */
export async function buildGuides(into: string, form: SiteForm): Promise<void> {
  const site = await makeSite(root, form, packageJson.version)
  await rm(into, { recursive: true, force: true })
  await mkdir(into, { recursive: true })
  for (const [file, text] of site) await writeFile(join(into, file), text)
}
