import type { Argument, Command, RootOption } from '../../command.ts'

const ID: Argument = { name: 'id', summary: 'a skill of `svc skills list`' }

export const skills: readonly Command[] = [
  {
    path: 'skills list',
    summary: 'List the skills that came with this client',
    output: true,
    examples: ['svc skills list'],
    load: () => import('./list.ts'),
  },
  {
    path: 'skills show',
    summary: 'Print a file of a skill',
    description: 'Print a file of a skill as it would be installed: SKILL.md, or the one you name.',
    arguments: [ID, { name: 'file', summary: 'a file of the skill (default: SKILL.md)', optional: true }],
    examples: ['svc skills show svc', 'svc skills show svc references/data-sources-ask.md'],
    load: () => import('./show.ts'),
  },
  {
    path: 'skills install',
    summary: 'Install a skill for the agents you use',
    description:
      'Install a skill into this folder for the agents you use: into .agents/skills and .claude/skills, into the folders of other agents that are there, and a few words into AGENTS.md and GEMINI.md. Needs no network. Files you edited are not replaced without --force, and doing it twice changes nothing.',
    arguments: [ID],
    options: [
      { name: 'user', summary: 'install into your home folder, for all projects' },
      { name: 'force', summary: 'replace files that were edited' },
      { name: 'no-agents', summary: 'leave AGENTS.md and GEMINI.md alone' },
    ],
    output: true,
    examples: ['svc skills install svc', 'svc skills install svc-ai-gateway --user --no-agents'],
    load: () => import('./install.ts'),
  },
]

export const skillPrompt: readonly RootOption[] = [
  {
    name: 'skill-prompt',
    summary: 'print instructions for a model that is to use svc',
    load: () => import('./prompt.ts'),
  },
]
