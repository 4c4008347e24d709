import type { FunctionGroups } from './names.js';

/** Functions of numbers, conditions, types, days and places. */
export const NUMBERS: FunctionGroups = {
  arithmetic: `
    abs avg2 byteSwap divide{,Decimal,OrNull} gcd ifNotFinite intDiv{,OrNull,OrZero} is{Finite,Infinite,NaN}
    lcm max2 min2 midpoint minus mod{,OrNull} modulo{,Legacy,OrNull,OrZero} multiply{,Decimal} negate plus
    pmod{,OrNull} positiveModulo{,OrNull} positive_modulo{,_or_null} sqr`,
  mathematics: `
    {,a}{cos,sin,tan}{,h} atan2 cbrt degrees radians e pi erf{,c} exp{,2,10} intExp{2,10} factorial hypot
    is{,Probable}Prime {l,t}gamma ln log{,1p,2,10} pow{,er} proportionsZTest sigmoid sign sqrt
    width{Bucket,_bucket} minSampleSize{Continous,Continuous,Conversion}
    financial{InternalRateOfReturn,NetPresentValue}{,Extended} evalMLMethod`,
  rounding: 'ceil{,ing} floor round{,Age,Bankers,Down,Duration,ToExp2} trunc{,ate}',
  bits: `
    bit{And,Count,HammingDistance,Not,Or,RotateLeft,RotateRight,ShiftLeft,ShiftRight,Slice,Test,Xor}
    bitTest{All,Any}`,
  comparison: `
    equals notEquals greater{,OrEquals} less{,OrEquals} is{,Not}DistinctFrom {,not}{,Null}In{,IgnoreSet}
    global{,Not}{,Null}In{,IgnoreSet} greatest least clamp exists`,
  conditions: `
    and or xor not if multiIf case{With,Without}Expr{,ession} transform assumeNotNull coalesce
    firstNonDefault ifNull nullIf is{,Not}Null isNullable isZeroOrNull toNullable throwIf`,
  conversion: `
    cast _cast accurateCast{,OrDefault,OrNull} reinterpret
    to{U,}Int{8,16,32,64,128,256}{,OrDefault,OrNull,OrZero} toFloat{32,64}{,OrDefault,OrNull,OrZero}
    toBFloat16{,OrNull,OrZero} toDecimal{32,64,128,256}{,OrDefault,OrNull,OrZero} toDecimalString toBool
    to{Date,Date32,DateTime,DateTime64}{,OrDefault,OrNull,OrZero} toDateTime32 to{Time,Time64}{,OrNull,OrZero}
    toUUID{,OrDefault,OrNull,OrZero} toString{,CutToZero} toFixedString toLowCardinality isDecimalOverflow
    toInterval{,Nanosecond,Microsecond,Millisecond,Second,Minute,Hour,Day,Week,Month,Quarter,Year}
    reinterpretAs{U,}Int{8,16,32,64,128,256}
    reinterpretAs{Float32,Float64,Date,DateTime,String,FixedString,UUID}
    parseDateTime{,64,32BestEffort,BestEffort,BestEffortUS,64BestEffort,64BestEffortUS}{,OrNull,OrZero}
    parseDateTime{,64}InJodaSyntax{,OrNull,OrZero} parseReadableSize{,OrNull,OrZero} parseTimeDelta
    parseISO8601Duration formatReadable{DecimalSize,Quantity,Size,TimeDelta} format_bytes countDigits digits`,
  types: `
    byteSize defaultValueOf{ArgumentType,TypeName} errorCodeToName getSizeOfEnumType getSubcolumn identity
    ignore indexHint isConstant lowCardinality{Indices,Keys} materialize toColumnTypeName toTypeName`,
  days: `
    {add,subtract}{Days,Hours,Interval,Microseconds,Milliseconds,Minutes,Months,Nanoseconds,Quarters,Seconds}
    {add,subtract}{TupleOfIntervals,Weeks,Years} {add,sub}Date age change{Day,Hour,Minute,Month,Second,Year}
    date{,Diff,Name,Trunc,_bin,_diff,_format,_trunc} day{,ofmonth,ofweek,ofyear} timestamp{,Diff,_diff}
    formatDateTime{,InJodaSyntax} from_days fromDaysSinceYearZero{,32}
    {from,to}ModifiedJulianDay{,OrNull} {from,to}UTCTimestamp {from,to}_utc_timestamp
    fromUnixTimestamp{,InJodaSyntax} {from,to}UnixTimestamp64{Micro,Milli,Nano,Second} {from,to}_unixtime
    toUnixTimestamp hour minute month monthName nanosecond microsecond millisecond quarter
    second week year yearweek last_day makeDate{,32} makeDateTime{,64} now{,64} nowInBlock{,64} today
    yesterday curdate current_{date,timestamp} localtime{,stamp} UTC{Timestamp,_timestamp} str_to_date
    time{Diff,Slot,Slots} time_bucket to_days toDaysInMonth toDaysSinceYearZero
    toDayOf{Month,Week,Year} to{Hour,ISOWeek,ISOYear,Microsecond,Millisecond,Minute,Monday,Month,Nanosecond}
    to{Quarter,Second,Week,Year,YearWeek} to{Month,Year}NumSinceEpoch toLastDayOf{Month,Week}
    toRelative{Day,Hour,Minute,Month,Quarter,Second,Week,Year}Num
    toStartOf{Day,Hour,ISOYear,Interval,Microsecond,Millisecond,Minute,Month,Nanosecond,Quarter,Second}
    toStartOf{Week,Year,FiveMinute,FiveMinutes,TenMinutes,FifteenMinutes} toTimeWithFixedDate
    toYYYYMM{,DD,DDhhmmss} YYYYMMDDToDate{,32} YYYYMMDDhhmmssToDateTime{,64} toTimezone timezoneO{f,ffset}
    {hop,tumble}{,End,Start} windowID`,
  identifiers: `
    UUID{NumToString,StringToNum,ToNum} UUIDv7ToDateTime dateTime{,64}ToSnowflakeID dateTimeToUUIDv7
    generateUUIDv{4,7} generateSnowflakeID snowflakeIDToDateTime{,64}`,
  random: `
    rand{,32,64,Constant,Bernoulli,Binomial,Canonical,ChiSquared,Exponential,FisherF,LogNormal,Normal}
    rand{NegativeBinomial,Poisson,StudentT,Uniform} random{FixedString,PrintableASCII,String,StringUTF8}`,
  places: `
    MGRSToGeo UTMToGeo geoTo{H3,MGRS,UTM} {area,perimeter}{Cartesian,Spherical} geoDistance
    geohash{Decode,Encode,esInBox} geometryIntersect{Cartesian,Spherical} greatCircle{Angle,Distance}
    h3CellArea{M2,Rads2} h3Distance h3EdgeAngle h3EdgeLength{Km,M} h3ExactEdgeLength{Km,M,Rads} h3HexArea{Km2,M2}
    h3Get{BaseCell,Faces,PentagonIndexes,Res0Indexes,Resolution,IndexesFromUnidirectionalEdge}
    h3Get{Origin,Destination}IndexFromUnidirectionalEdge h3GetUnidirectionalEdge{,Boundary,sFromHexagon}
    h3HexRing h3IndexesAreNeighbors h3Is{Pentagon,ResClassIII,Valid} h3Line h3NumHexagons
    h3PointDist{Km,M,Rads} h3PolygonToCells{,WithContainment} h3ToCenterChild h3ToChildren h3ToGeo{,Boundary}
    h3ToParent h3ToString stringToH3 h3UnidirectionalEdgeIsValid h3kRing pointIn{Ellipses,Polygon}
    polygon{Area,Perimeter}{Cartesian,Spherical} polygonConvexHullCartesian
    polygons{Distance,Intersect,Intersection,SymDifference,Union,Within}{Cartesian,Spherical}
    polygonsEqualsCartesian flipCoordinates read{WKB,WKT}{,Point,LineString,MultiLineString,Polygon}
    read{WKB,WKT}{MultiPolygon,MultiPoint} readWKTRing ST_{Point,Line,MLine,Poly,MPoly,MPoint}FromWKB svg wkb wkt
    ST_AsMVTGeom MVTEncodeGeom MVTBoundingBox{,Mercator} color{OKLAB,OKLCH}ToSRGB colorSRGBToOKL{AB,CH}`,
};
