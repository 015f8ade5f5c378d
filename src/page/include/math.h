/* The maths that meshoptimizer uses and its own header for this target lacks. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

float acosf(float);
float ceilf(float);
float cosf(float);
float fabsf(float);
float floorf(float);
float frexpf(float, int*);
float ldexpf(float, int);
float log2f(float);
float powf(float, float);
float sinf(float);
float sqrtf(float);

#ifdef __cplusplus
}
#endif
