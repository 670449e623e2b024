/** As long a delivery id is remembered. A request that comes with it again until then is a repetition; after that the id is deleted. */
export const deliveryDays = 7
