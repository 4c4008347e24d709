/** The two functions that the kernel calls in JavaScript; it calls both rarely. */

/** Called for every value that breaks a rule, with its row within the block and the rule. */
export declare function report(row: i32, broken: i32): void;

/** The number that a text of `[start, end)` is, NaN if it is none. */
export declare function amount(start: usize, end: usize): f64;
