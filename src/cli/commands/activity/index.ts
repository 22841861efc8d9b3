import { type Command, LIMIT } from '../../command/command.ts'

/** Written out, because reading them from the contract would make every command start slower. A test compares them. */
export const TYPE_CHOICES = ['functions', 'data_sources'] as const

export const activity: readonly Command[] = [
  {
    path: 'activity',
    summary: 'List calls of functions or questions to data sources',
    description:
      'List who called which function, or asked which data source, when, how and with what status, newest first. Admins and owners see all calls, others their own. Arguments, questions and answers are not stored.',
    options: [
      { name: 'type', value: 'type', choices: TYPE_CHOICES, summary: 'what was called (default: functions)' },
      {
        name: 'source',
        field: 'source_id',
        value: 'id',
        completes: 'sources',
        summary: 'only questions to this data source',
      },
      { name: 'watch', short: 'w', summary: 'also print each further call until Ctrl-C' },
      LIMIT,
    ],
    examples: ['svc activity', 'svc activity --type data_sources --watch', 'svc activity --source db_handbook --json'],
    load: () => import('./activity.ts'),
  },
]
