import { listActivity } from '#contract/activity.ts'
import { listFunctions } from '#contract/functions.ts'
import { listCommand } from '../../call/operation-command.ts'
import { activityTable } from '../activity/table.ts'

export const list = listCommand(listFunctions, {
  label: 'Listing functions',
  input: (_, { app }: { app?: string }) => (app === undefined ? {} : { alias: app }),
  header: ['APP', 'NAME', 'CONNECTED', 'DESCRIPTION'],
  cut: ['DESCRIPTION'],
  row: ({ alias, name, connected, description }) => [alias, name, connected ? 'yes' : 'no', description],
  none: 'There are no functions yet. Workers of apps register them: see /guides/functions at your instance.',
})

export const invocations = listCommand(listActivity, {
  label: 'Listing calls',
  input: () => ({ type: 'functions' as const }),
  ...activityTable('FUNCTION', new Map()),
  none: 'No function has been called yet.',
})
