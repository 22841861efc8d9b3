import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const SCOPES = ['project', 'user'] as const
export type Scope = (typeof SCOPES)[number]

/** Folders that are always written: the one shared by agents, and the one of Claude Code. */
const SHARED_FOLDERS = ['.agents', '.claude']

/** Folders of agents that use neither. They are written only if they exist, which shows that the agent is in use. */
const AGENT_FOLDERS: Record<Scope, readonly string[]> = {
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

/** Returns the skills folders below `base`. Creates none, so that a second call returns the same. */
export function skillFolders(base: string, scope: Scope): string[] {
  const used = AGENT_FOLDERS[scope].filter((folder) => existsSync(join(base, folder)))
  return [...SHARED_FOLDERS, ...used].map((folder) => `${folder}/skills`)
}

/** Returns the files that get a note about the skill. In the home folder each agent has its own file. */
export function instructionFiles(base: string, scope: Scope): string[] {
  if (scope === 'project') return ['AGENTS.md', 'GEMINI.md']
  return ['.codex/AGENTS.md', '.gemini/GEMINI.md'].filter((file) => existsSync(join(base, file, '..')))
}
