import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const SCOPES = ['project', 'user'] as const
export type Scope = (typeof SCOPES)[number]

/** Where agents look for skills that all of them share, and where Claude Code does. */
const ALWAYS = ['.agents', '.claude']

/** Folders of agents that look elsewhere; one that is there shows that its agent is in use. */
const WHERE_IN_USE: Record<Scope, readonly string[]> = {
  project: [
    '.windsurf',
    '.goose',
    '.kiro',
    '.roo',
    '.junie',
    '.continue',
    '.augment',
    '.qwen',
    '.crush',
    '.devin',
    '.openhands',
  ],
  user: [
    '.cursor',
    '.gemini',
    '.gemini/antigravity',
    '.gemini/antigravity-cli',
    '.copilot',
    '.config/opencode',
    '.config/agents',
    '.factory',
    '.kilo',
    '.codeium/windsurf',
    '.config/goose',
    '.kiro',
    '.roo',
    '.junie',
    '.continue',
    '.augment',
    '.qwen',
    '.config/crush',
    '.config/devin',
    '.openhands',
    '.openclaw',
  ],
}

/** Folders of skills below `base`. Only folders that were there before count, so a second look finds the same. */
export function skillFolders(base: string, scope: Scope): string[] {
  const used = WHERE_IN_USE[scope].filter((folder) => existsSync(join(base, folder)))
  return [...ALWAYS, ...used].map((folder) => `${folder}/skills`)
}

/** Files that tell agents of a skill. In the home folder there is no file of all agents, so each is told in its own. */
export function instructionFiles(base: string, scope: Scope): string[] {
  if (scope === 'project') return ['AGENTS.md', 'GEMINI.md']
  return ['.codex/AGENTS.md', '.gemini/GEMINI.md'].filter((file) => existsSync(join(base, file, '..')))
}
