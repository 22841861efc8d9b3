import type { Argument, Command, RootOption } from '../../command/command.ts'

const ID: Argument = { name: 'id', summary: 'skill id from `svc skills list`' }

export const skills: readonly Command[] = [
  {
    path: 'skills list',
    summary: 'List the skills in this client',
    login: false,
    examples: ['svc skills list'],
    load: () => import('./list.ts'),
  },
  {
    path: 'skills show',
    summary: 'Print a file of a skill',
    description: 'Print a file of a skill as it would be installed: SKILL.md, or the file you name.',
    arguments: [ID, { name: 'file', summary: 'file of the skill (default: SKILL.md)', optional: true }],
    output: false,
    login: false,
    examples: ['svc skills show svc', 'svc skills show svc references/data-sources-ask.md'],
    load: () => import('./show.ts'),
  },
  {
    path: 'skills install',
    summary: 'Install a skill for your agents',
    description:
      'Install a skill into this folder for your agents: into .agents/skills and .claude/skills, into the folders of other agents that exist here, and as a short note into AGENTS.md and GEMINI.md. Works without network access. Files that you edited are replaced only with --force. Files of an earlier version that this one does not have are removed, unless you edited them. It is safe to repeat.',
    arguments: [ID],
    options: [
      { name: 'user', summary: 'install into your home folder for all projects' },
      { name: 'force', summary: 'replace edited files' },
      { name: 'no-agents', summary: 'do not write to AGENTS.md and GEMINI.md' },
    ],
    login: false,
    examples: ['svc skills install svc', 'svc skills install svc-ai-gateway --user --no-agents'],
    load: () => import('./install.ts'),
  },
]

export const skillPrompt: readonly RootOption[] = [
  {
    name: 'skill-prompt',
    summary: 'print instructions for a model that uses svc',
    load: () => import('./prompt.ts'),
  },
]
