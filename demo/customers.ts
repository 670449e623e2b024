export type Customer = {
  email: string
  firstName: string
  lastName: string
  tag: string
  /** Orders of a usual weekday. */
  ordersPerDay: number
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
  customer('Nordic Outdoor', { tag: 'retail', ordersPerDay: 190, refusedEvery: 61, troubles: ['report', 'returns'] }),
  customer('Fjord Coffee', { tag: 'food', ordersPerDay: 140, refusedEvery: 43, troubles: ['stock'] }),
  customer('Harbour Books', { tag: 'retail', ordersPerDay: 105, refusedEvery: 0, troubles: [] }),
  customer('Birch Interiors', { tag: 'retail', ordersPerDay: 75, refusedEvery: 37, troubles: ['connection', 'stock'] }),
  customer('Glacier Gear', { tag: 'sports', ordersPerDay: 60, refusedEvery: 0, troubles: [] }),
]
