/** Which texts a column takes. */
export const plain = 0;
/** Plain, and none of the table's. */
export const plainOther = 1;
/** One of the table's. */
export const listed = 2;
/** So many letters of one case, whose number in base 26 has a flag in the table. */
export const code = 3;
/** English letters and digits. */
export const metricName = 4;
