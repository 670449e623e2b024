// Every change that an operation of the contract can make, once each: what must be there first, and the request that changes it.
import type { GraphServer } from '../../harness/graph-server.ts'
import type { TestService } from '../../harness/service.ts'
import { changesOfCatalogue } from './catalogue.ts'
import { type Changes, setUp } from './change.ts'
import { changesOfPeople } from './people.ts'
import { changesOfStoredValues } from './stored-values.ts'
import { changesOfWebhooks } from './webhooks.ts'
import { changesOfWorkflows } from './workflows.ts'

export { graphApps } from './catalogue.ts'

export function auditedChanges(service: TestService, graph: GraphServer): Changes {
  const bench = setUp(service)
  return {
    ...changesOfPeople(bench),
    ...changesOfCatalogue(bench, graph),
    ...changesOfStoredValues(bench),
    ...changesOfWorkflows(bench),
    ...changesOfWebhooks(bench),
  }
}
