import { type AskDeps, askRoute } from './ask/ask.ts'
import { listRoute } from './ask/list.ts'
import { type ConfigureDeps, configureRoute } from './configure/configure.ts'
import { exposeRoute } from './configure/expose.ts'
import { listSourcesRoute } from './configure/list-sources.ts'
import { type ShowDeps, showRoute } from './configure/show.ts'
import { type SwitchDeps, switchRoute } from './configure/switch.ts'
import { createFindChoice } from './measure/current-choice.ts'
import { withoutMeasuring } from './search/choice.ts'
import { createPersonValues, type PersonDeps } from './search/person.ts'
import type { OpenReader } from './search/reader.ts'
import { forgetUnlessExposed, statesOf, usesModel } from './store.ts'

export { trySources } from './ask/try-sources.ts'
export { sourcesEraser } from './erase-store.ts'
export { measureLoop } from './measure/loop.ts'
export { exposedSourceIds } from './store.ts'
export { watchLoop } from './watch/loop.ts'

/** The part of the data sources that the databases area needs. Compose hands it over. */
export const sourcesOfDatabases = { statesOf, forgetUnlessExposed }

type DataSourcesDeps<Draft extends { id: string }> = Omit<
  AskDeps<Draft>,
  'openReader' | 'findChoice' | 'personValues'
> &
  Omit<ShowDeps, 'openReader'> &
  Omit<ConfigureDeps, 'personValues'> &
  SwitchDeps &
  PersonDeps & { openForQuestions: OpenReader }

export function createDataSources<Draft extends { id: string }>(deps: DataSourcesDeps<Draft>) {
  const openReader = deps.openForQuestions
  const personValues = createPersonValues(deps)
  const findChoice = deps.measuresIndexes ? createFindChoice(deps) : withoutMeasuring
  return {
    /** Whether a data source that can be asked was configured with this model. */
    usesModel: (model: string) => usesModel(deps.db, model),
    routes: [
      listRoute(deps),
      listSourcesRoute(deps),
      switchRoute(deps),
      exposeRoute(deps),
      configureRoute({ ...deps, personValues }),
      showRoute({ ...deps, openReader }),
      askRoute({ ...deps, openReader, findChoice, personValues }),
    ],
  }
}
