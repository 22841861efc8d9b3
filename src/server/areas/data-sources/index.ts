import { type AskDeps, askRoute, createQuestionParts } from './ask/ask.ts'
import { knownValuesRoute } from './ask/known-values.ts'
import { listRoute } from './ask/list.ts'
import { changeEmbeddingRoute } from './change-embedding/change.ts'
import { queryWithEmbeddingRoute } from './change-embedding/query.ts'
import { type ConfigureDeps, configureRoute } from './configure/configure.ts'
import { exposeRoute } from './configure/expose.ts'
import { listSourcesRoute } from './configure/list-sources.ts'
import { type ShowDeps, showRoute } from './configure/show.ts'
import { type SwitchDeps, switchRoute } from './configure/switch.ts'
import { createFindMeasured } from './measure/current-choice.ts'
import { checkRoute } from './preview/check-route.ts'
import type { InspectDeps } from './preview/inspect.ts'
import { previewRoute } from './preview/preview-route.ts'
import { withoutMeasuring } from './search/choice.ts'
import { createPersonValues, type PersonDeps } from './search/person.ts'
import type { OpenReader } from './search/reader.ts'
import { forgetUnlessExposed, statesOf, usesModel } from './store.ts'

export { trySources } from './ask/try-sources.ts'
export { sourcesEraser } from './erase-store.ts'
export { createFindSources } from './find-sources.ts'
export { measureLoop } from './measure/loop.ts'
export { exposedSourceIds } from './store.ts'
export { watchLoop } from './watch/loop.ts'

/** The part of the data sources that the databases area needs. Compose hands it over. */
export const sourcesOfDatabases = { statesOf, forgetUnlessExposed }

type DataSourcesDeps<Draft extends { id: string }> = Omit<
  AskDeps<Draft>,
  'openReader' | 'findMeasured' | 'personValues'
> &
  Omit<ShowDeps, 'openReader'> &
  Omit<ConfigureDeps, 'personValues'> &
  SwitchDeps &
  Pick<InspectDeps, 'openForPreview'> &
  PersonDeps & { openForQuestions: OpenReader }

export function createDataSources<Draft extends { id: string }>(deps: DataSourcesDeps<Draft>) {
  const openReader = deps.openForQuestions
  const personValues = createPersonValues(deps)
  const findMeasured = deps.measuresIndexes ? createFindMeasured(deps) : withoutMeasuring
  const parts = createQuestionParts({ ...deps, openReader, findMeasured, personValues })
  const configuring = { ...deps, personValues }
  return {
    /** Whether a data source that can be asked was configured with this model. */
    usesModel: (model: string) => usesModel(deps.db, model),
    routes: [
      listRoute(deps),
      listSourcesRoute(deps),
      switchRoute(deps),
      exposeRoute(deps),
      configureRoute(configuring),
      changeEmbeddingRoute(configuring),
      showRoute({ ...deps, openReader }),
      checkRoute({ ...deps, personValues }),
      previewRoute({ ...deps, personValues }),
      askRoute(parts),
      knownValuesRoute({ ...parts, openReader }),
      queryWithEmbeddingRoute(parts, configuring),
    ],
  }
}
