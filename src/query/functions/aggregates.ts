import { namesOf } from './names.js';

/** Aggregate functions, and those of windows. */
export const AGGREGATES = namesOf({
  common: `
    any any{Heavy,Last} anyLast_respect_nulls any_respect_nulls any{,Last,Value}RespectNulls
    any_value{,_respect_nulls} argM{ax,in} argAndM{ax,in} {max,min}_by avg{,Weighted} count max min sum
    sum{Count,Kahan,WithOverflow} {first,last}_value{,_respect_nulls} {first,last}ValueRespectNulls
    singleValueOrNull`,
  'several values of a group': `
    array_agg array_concat_agg groupArray{,InsertAt,Intersect,Last,MovingAvg,MovingSum,Sample,Sorted}
    groupUniqArray groupConcat group_concat string_agg groupBit{And,Or,Xor} bit_{and,or,xor}
    groupBitmap{,And,Or,Xor} groupNumericIndexedVector {max,min,sum}MappedArrays
    sumMapFiltered{,WithOverflow} sumMapWithOverflow topK{,Weighted} approx_top_{count,k,sum}
    distinctDynamicTypes distinctJSONPaths{,AndTypes} mergedJSONPatch`,
  'how many different ones': 'uniq{,Combined,Combined64,Exact,HLL12,UpTo} estimateCompressionRatio',
  quantiles: `
    {quantile,quantiles,median}{,BFloat16,BFloat16Weighted,DD,Deterministic,Exact,ExactHigh,ExactLow}
    {quantile,quantiles,median}{ExactWeighted,ExactWeightedInterpolated,GK,InterpolatedWeighted}
    {quantile,quantiles,median}{TDigest,TDigestWeighted,Timing,TimingWeighted}
    {quantile,quantiles}{ExactExclusive,ExactInclusive,PrometheusHistogram}`,
  statistics: `
    analysisOfVariance anova boundingRatio categoricalInformationValue contingency corr{,Matrix,Stable}
    covar{Pop,Samp}{,Matrix,Stable} covar_{pop,samp} cramersV{,BiasCorrected} entropy gini histogram
    kolmogorovSmirnovTest {kurt,skew}{Pop,Samp} mannWhitneyUTest meanZTest rankCorr
    regr_{avgx,avgy,count,intercept,r2,slope,sxx,sxy,syy} simpleLinearRegression
    stochastic{Linear,Logistic}Regression std stddev{,Pop,Samp,PopStable,SampStable,_pop,_samp}
    studentTTest{,OneSample} theilsU var{Pop,Samp}{,Stable} var_{pop,samp} welchTTest`,
  'what happened in which order': `
    deltaSum{,Timestamp} exponentialMovingAverage exponentialTimeDecayed{Avg,Count,Max,Sum}
    intervalLengthSum largestTriangleThreeBuckets lttb maxIntersections{,Position} retention
    sequence{Count,Match,MatchEvents,NextNode} sparkbar windowFunnel
    timeSeries{Changes,Delta,Deriv,Increase,InstantDelta,InstantRate,Last,PredictLinear,Rate,Resets}ToGrid
    timeSeries{Avg,Count,Max,Min,Sum,TimestampOfMax,TimestampOfMin}ToGrid timeSeriesGroupArray
    timeSeriesLastTwoSamples timeSeriesResampleToGridWithStaleness`,
  'windows of rows': `
    cume_dist denseRank dense_rank lag{,InFrame} lead{,InFrame} nonNegativeDerivative nth_value ntile
    percentRank percent_rank rank row_number`,
  maps: 'MVTEncode ST_AsMVT',
});

/** Combinators: they follow the name of an aggregate function, also several of them. */
const COMBINATORS = [
  ...['array', 'argmax', 'argmin', 'distinct', 'foreach', 'if', 'map', 'merge', 'ordefault'],
  ...['ornull', 'resample', 'simplestate', 'state', 'tuple'],
];

/** Longer than any name that is of use. Each combinator in a name costs a pass over it. */
const NAME_LENGTH = 200;

/** @param name in lower case, such as `sumif` or `uniqarraystate` */
export function isCombined(name: string): boolean {
  if (name.length > NAME_LENGTH) return false;
  return COMBINATORS.some((combinator) => {
    if (!name.endsWith(combinator)) return false;
    const inner = name.slice(0, -combinator.length);
    return AGGREGATES.has(inner) || isCombined(inner);
  });
}
