export type Customer = {
  email: string
  firstName: string
  lastName: string
  tag: string
  /** Orders of a usual weekday. */
  ordersPerDay: number
  /** Orders are numbered on from the weeks before; no two customers have the same numbers. */
  firstOrderOfToday: number
  /** One order in so many is refused by the target; 0: none. */
  refusedEvery: number
  /** What goes wrong for this one; a demo in which everything fails would show little. */
  troubles: readonly ('report' | 'stock' | 'returns' | 'connection')[]
}

function customer(name: string, facts: Omit<Customer, 'email' | 'firstName' | 'lastName'>): Customer {
  const [firstName, lastName] = name.split(' ') as [string, string]
  return { email: `${name.toLowerCase().replace(' ', '.')}@example.com`, firstName, lastName, ...facts }
}

export const customers: readonly Customer[] = [
  customer('Nordic Outdoor', {
    firstOrderOfToday: 4_703,
    tag: 'retail',
    ordersPerDay: 190,
    refusedEvery: 61,
    troubles: ['report', 'returns'],
  }),
  customer('Fjord Coffee', {
    firstOrderOfToday: 14_703,
    tag: 'food',
    ordersPerDay: 140,
    refusedEvery: 43,
    troubles: ['stock'],
  }),
  customer('Harbour Books', {
    firstOrderOfToday: 24_703,
    tag: 'retail',
    ordersPerDay: 105,
    refusedEvery: 0,
    troubles: [],
  }),
  customer('Birch Interiors', {
    firstOrderOfToday: 34_703,
    tag: 'retail',
    ordersPerDay: 75,
    refusedEvery: 37,
    troubles: ['connection', 'stock'],
  }),
  customer('Glacier Gear', {
    firstOrderOfToday: 44_703,
    tag: 'sports',
    ordersPerDay: 60,
    refusedEvery: 0,
    troubles: [],
  }),
]

/** The order that the docs look for, 4711, is one of the refused. */
export function isRefusedOrder({ refusedEvery }: Customer, number: number): boolean {
  return refusedEvery > 0 && (number - 4711) % refusedEvery === 0
}
