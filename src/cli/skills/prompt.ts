import { bodyOfSkill } from '#contract/skills.ts'
import { loadBundle } from './bundle.ts'
import { findSkill } from './install.ts'

/** Returns what `svc --skill-prompt` prints, for a model without an installed skill. Needs no network and no login. */
export async function skillPrompt(version: string): Promise<string> {
  const { files } = findSkill(await loadBundle(), 'svc')
  return `You work with svc through its command-line client, version ${version}, which is installed here as \`svc\`.
Follow these instructions. Where they name a file under references/, print it before you act on its subject:
svc skills show svc references/<file>.md

${bodyOfSkill(files[0]!.text)}`
}
